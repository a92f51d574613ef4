/** A file taken in as text by whatever bundles or runs the code. */
declare module '*?raw' {
  const text: string
  export default text
}
