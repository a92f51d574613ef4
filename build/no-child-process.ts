/*
 * In place of node:child_process for commander, which can run subcommands as programs. Ours are none, and to load it takes
 * longer than to load all of commander.
 */
export function spawn(): never {
  throw new Error('no command is a program of its own')
}
