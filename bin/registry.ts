import type { DefineCommand } from './context.ts'

export interface Entry {
  readonly summary: string
  readonly load: () => Promise<{ readonly define: DefineCommand }>
  /** For programs: not in the help, the completion or the reference. */
  readonly hidden?: boolean
}

/** The commands, in the order of the help. Only the one that runs is loaded. */
export const COMMANDS: Readonly<Record<string, Entry>> = {
  'tracks list': { summary: 'list the package tracks', load: () => import('./commands/tracks-list.ts') },
  'tracks view': {
    summary: 'show one track with its packages and skills',
    load: () => import('./commands/tracks-view.ts'),
  },
  'invites create': {
    summary: 'invite one candidate to a quiz or a package',
    load: () => import('./commands/invites-create.ts'),
  },
  'invites list': { summary: 'list the recorded invites', load: () => import('./commands/invites-list.ts') },
  'invites view': { summary: 'show one recorded invite', load: () => import('./commands/invites-view.ts') },
  'invites resolve': {
    summary: 'resolve creates with an unknown outcome',
    load: () => import('./commands/invites-resolve.ts'),
  },
  bulk: { summary: 'invite the candidates of a file', load: () => import('./commands/bulk.ts') },
  studio: {
    summary: 'show the ledger in a browser, and decide what is unknown',
    load: () => import('./commands/studio.ts'),
  },
  'callbacks listen': {
    summary: 'receive, print and forward events',
    load: () => import('./commands/callbacks-listen.ts'),
  },
  'callbacks list': { summary: 'list the received events', load: () => import('./commands/callbacks-list.ts') },
  'callbacks replay': { summary: 'handle events again', load: () => import('./commands/callbacks-replay.ts') },
  'ledger check': {
    summary: 'check the ledger for damage, and count its records',
    load: () => import('./commands/ledger-check.ts'),
  },
  'ledger backup': {
    summary: 'copy a ledger in a file while it is in use',
    load: () => import('./commands/ledger-backup.ts'),
  },
  'ledger import': {
    summary: 'record invites that were made elsewhere, from a file',
    load: () => import('./commands/ledger-import.ts'),
  },
  'ledger move': { summary: 'record a new base URL for an account', load: () => import('./commands/ledger-move.ts') },
  'ledger copy': { summary: 'copy a ledger in a file into Postgres', load: () => import('./commands/ledger-copy.ts') },
  'ledger purge': { summary: 'remove records for good', load: () => import('./commands/ledger-purge.ts') },
  'auth login': {
    summary: 'store a key or a session, and settings, in a profile',
    load: () => import('./commands/auth-login.ts'),
  },
  'auth logout': { summary: 'delete the key of a profile', load: () => import('./commands/auth-logout.ts') },
  'auth status': {
    summary: 'show which key is in use, and its permissions',
    load: () => import('./commands/auth-status.ts'),
  },
  doctor: { summary: 'show the settings, and find problems', load: () => import('./commands/doctor.ts') },
  api: { summary: 'send any other GraphQL document', load: () => import('./commands/api.ts') },
  mock: { summary: 'run a mock of the service on this machine', load: () => import('./commands/mock.ts') },
  'mock exec': { summary: 'run a command against a mock of its own', load: () => import('./commands/mock-exec.ts') },
  'mock init': { summary: 'write a world to start a mock from', load: () => import('./commands/mock-init.ts') },
  'mock learn': {
    summary: 'learn how the service behaves, for a mock',
    load: () => import('./commands/mock-learn.ts'),
  },
  mcp: { summary: 'serve an AI agent over the Model Context Protocol', load: () => import('./commands/mcp.ts') },
  'mcp init': {
    summary: 'add the server to the configuration of a client',
    load: () => import('./commands/mcp-init.ts'),
  },
  approve: { summary: 'approve the plan of an agent', load: () => import('./commands/approve.ts') },
  completion: { summary: 'print a completion script for a shell', load: () => import('./commands/completion.ts') },
  help: { summary: 'show the help of a command', load: () => import('./commands/help.ts') },
  __complete: { summary: 'complete a word', load: () => import('./commands/complete.ts'), hidden: true },
}

export const GROUPS: Readonly<Record<string, string>> = {
  tracks: 'the certifications on offer',
  invites: 'single and package invites, and their record',
  callbacks: 'events of the service',
  ledger: 'the record of every create',
  auth: 'keys, sessions and profiles',
}
