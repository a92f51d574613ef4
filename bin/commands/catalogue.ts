import type { DefineCommand } from '../context.ts'

export interface Entry {
  readonly summary: string
  readonly load: () => Promise<{ readonly define: DefineCommand }>
  /** For programs: not in the help, the completion or the reference. */
  readonly hidden?: boolean
}

/** The commands, in the order of the help. Only the one that runs is loaded. */
export const COMMANDS: Readonly<Record<string, Entry>> = {
  'tracks list': { summary: 'list the package tracks', load: () => import('./tracks-list.ts') },
  'tracks view': { summary: 'show one track with its packages and skills', load: () => import('./tracks-view.ts') },
  'invites create': {
    summary: 'invite one candidate to a quiz or a package',
    load: () => import('./invites-create.ts'),
  },
  'invites list': { summary: 'list the recorded invites', load: () => import('./invites-list.ts') },
  'invites view': { summary: 'show one recorded invite', load: () => import('./invites-view.ts') },
  'invites resolve': {
    summary: 'record what became of creates whose outcome is unknown',
    load: () => import('./invites-resolve.ts'),
  },
  bulk: { summary: 'invite the candidates of a file', load: () => import('./bulk.ts') },
  studio: { summary: 'show the ledger in a browser, and decide what is unknown', load: () => import('./studio.ts') },
  'callbacks listen': { summary: 'receive, print and forward events', load: () => import('./callbacks-listen.ts') },
  'callbacks list': { summary: 'list the received events', load: () => import('./callbacks-list.ts') },
  'callbacks replay': { summary: 'handle events again', load: () => import('./callbacks-replay.ts') },
  'ledger check': {
    summary: 'check the ledger for damage, and count its records',
    load: () => import('./ledger-check.ts'),
  },
  'ledger backup': {
    summary: 'copy a ledger in a file while it is in use',
    load: () => import('./ledger-backup.ts'),
  },
  'ledger import': {
    summary: 'record invites that were made elsewhere, from a file',
    load: () => import('./ledger-import.ts'),
  },
  'ledger move': { summary: 'say that the service of an account has moved', load: () => import('./ledger-move.ts') },
  'ledger copy': { summary: 'copy a ledger in a file into Postgres', load: () => import('./ledger-copy.ts') },
  'ledger purge': { summary: 'remove records for good', load: () => import('./ledger-purge.ts') },
  'auth login': {
    summary: 'store a key or a session, and settings, in a profile',
    load: () => import('./auth-login.ts'),
  },
  'auth logout': { summary: 'delete the key of a profile', load: () => import('./auth-logout.ts') },
  'auth status': { summary: 'show which key is in use, and its permissions', load: () => import('./auth-status.ts') },
  doctor: { summary: 'show the settings, and find problems', load: () => import('./doctor.ts') },
  api: { summary: 'send any other GraphQL document', load: () => import('./api.ts') },
  mock: { summary: 'run a mock of the service on this machine', load: () => import('./mock.ts') },
  'mock exec': { summary: 'run a command against a mock of its own', load: () => import('./mock-exec.ts') },
  'mock init': { summary: 'write a world to start a mock from', load: () => import('./mock-init.ts') },
  'mock learn': { summary: 'learn how the service behaves, for a mock', load: () => import('./mock-learn.ts') },
  mcp: { summary: 'serve an AI agent over the Model Context Protocol', load: () => import('./mcp.ts') },
  'mcp init': { summary: 'add the server to the configuration of a client', load: () => import('./mcp-init.ts') },
  approve: { summary: 'approve the plan of an agent', load: () => import('./approve.ts') },
  completion: { summary: 'print a completion script for a shell', load: () => import('./completion.ts') },
  help: { summary: 'show the help of a command', load: () => import('./help.ts') },
  __complete: { summary: 'complete a word', load: () => import('./complete.ts'), hidden: true },
}

export const GROUPS: Readonly<Record<string, string>> = {
  tracks: 'the certifications on offer',
  invites: 'single and package invites, and their record',
  callbacks: 'events of the service',
  ledger: 'the record of every create',
  auth: 'keys, sessions and profiles',
}
