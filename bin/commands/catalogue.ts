import type { DefineCommand } from '../context.ts'

export interface Entry {
  readonly summary: string
  readonly load: () => Promise<{ readonly define: DefineCommand }>
  /** For programs: not in the help, the completion and the reference. */
  readonly hidden?: boolean
}

/** The commands, in the order of the help. Only the one that runs is loaded. */
export const COMMANDS: Readonly<Record<string, Entry>> = {
  'tracks list': { summary: 'list the package tracks', load: () => import('./tracks-list.ts') },
  'tracks view': { summary: 'show one track with its packages and skills', load: () => import('./tracks-view.ts') },
  'invites create': { summary: 'invite one candidate to one quiz', load: () => import('./invites-create.ts') },
  'package-invites create': {
    summary: 'invite one candidate to every skill of a package',
    load: () => import('./package-invites-create.ts'),
  },
  'invites list': { summary: 'list the invites in the ledger', load: () => import('./invites-list.ts') },
  'invites view': { summary: 'show one invite in the ledger', load: () => import('./invites-view.ts') },
  'invites expiring': { summary: 'list the invites that expire soon', load: () => import('./invites-expiring.ts') },
  'invites export': {
    summary: 'export the invites in the ledger with their results',
    load: () => import('./invites-export.ts'),
  },
  'invites resolve': {
    summary: 'record what became of a send whose outcome is unknown',
    load: () => import('./invites-resolve.ts'),
  },
  open: { summary: 'open the link of an invite, or the page of a mock', load: () => import('./open.ts') },
  bulk: { summary: 'invite the candidates of a file', load: () => import('./bulk.ts') },
  'bulk template': { summary: 'print an example file', load: () => import('./bulk-template.ts') },
  'callbacks listen': {
    summary: 'receive events, store, print and forward them',
    load: () => import('./callbacks-listen.ts'),
  },
  'callbacks list': { summary: 'list the received events', load: () => import('./callbacks-list.ts') },
  'callbacks view': { summary: 'print the body of an event', load: () => import('./callbacks-view.ts') },
  'callbacks replay': { summary: 'have events handled again', load: () => import('./callbacks-replay.ts') },
  'callbacks url': { summary: 'print a callback URL', load: () => import('./callbacks-url.ts') },
  'ledger path': { summary: 'print the path of the ledger', load: () => import('./ledger-path.ts') },
  'ledger check': {
    summary: 'check the ledger for damage, and count its sends',
    load: () => import('./ledger-check.ts'),
  },
  'ledger copy': {
    summary: 'copy a ledger into another one, as from a file into Postgres',
    load: () => import('./ledger-copy.ts'),
  },
  'ledger purge': { summary: 'remove sends from the ledger for good', load: () => import('./ledger-purge.ts') },
  'auth login': { summary: 'store a key, in a profile', load: () => import('./auth-login.ts') },
  'auth logout': { summary: 'delete the key of a profile', load: () => import('./auth-logout.ts') },
  'auth status': { summary: 'show which key is in use, and its permissions', load: () => import('./auth-status.ts') },
  'profiles list': { summary: 'list the profiles', load: () => import('./profiles-list.ts') },
  'profiles use': { summary: 'choose the profile to use from now on', load: () => import('./profiles-use.ts') },
  'profiles remove': { summary: 'remove a profile with its key', load: () => import('./profiles-remove.ts') },
  'config list': { summary: 'show every setting', load: () => import('./config-list.ts') },
  doctor: { summary: 'find problems between this machine and the service', load: () => import('./doctor.ts') },
  api: { summary: 'send any other GraphQL document', load: () => import('./api.ts') },
  schema: { summary: 'print the GraphQL schema', load: () => import('./schema.ts') },
  mock: { summary: 'run a mock of the service on this machine', load: () => import('./mock.ts') },
  'mock exec': {
    summary: 'run a command against a mock of its own',
    load: () => import('./mock-exec.ts'),
  },
  'mock init': { summary: 'write a world to start a mock from', load: () => import('./mock-init.ts') },
  mcp: { summary: 'serve an AI agent over the Model Context Protocol', load: () => import('./mcp.ts') },
  completion: { summary: 'print a completion script for a shell', load: () => import('./completion.ts') },
  commands: { summary: 'list all commands with their flags', load: () => import('./commands.ts') },
  help: { summary: 'help on a command or a topic', load: () => import('./help.ts') },
  __complete: { summary: 'complete a word', load: () => import('./complete.ts'), hidden: true },
}

export const GROUPS: Readonly<Record<string, string>> = {
  tracks: 'the certification tracks',
  invites: 'invites to a single quiz, and all recorded invites',
  'package-invites': 'invites to every skill of a package',
  callbacks: 'events of the service',
  ledger: 'the record of what was sent',
  auth: 'keys',
  profiles: 'the configured services',
  config: 'settings',
}
