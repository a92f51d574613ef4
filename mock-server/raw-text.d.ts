/** A file that the bundler, or the test runner, imports as text. */
declare module '*?raw' {
  const text: string
  export default text
}
