/* In place of the package `debug`, which prints the address of a proxy with its password where `DEBUG` asks for everything. */
export default function createDebug(): () => void {
  return () => {}
}
