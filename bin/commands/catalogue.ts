import type { DefineCommand } from '../context.ts'

/** A command before it is loaded: what it does, and where it is. */
export interface Entry {
  readonly summary: string
  readonly load: () => Promise<{ readonly define: DefineCommand }>
  /** Left out of help, completion and reference: it is for programs. */
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
  'invites list': { summary: 'list the invites that the ledger has', load: () => import('./invites-list.ts') },
  'invites view': { summary: 'show one invite that the ledger has', load: () => import('./invites-view.ts') },
  'invites expiring': { summary: 'list the invites that expire soon', load: () => import('./invites-expiring.ts') },
  'invites resolve': {
    summary: 'record what became of a send whose outcome is unknown',
    load: () => import('./invites-resolve.ts'),
  },
  bulk: { summary: 'invite the candidates of a file', load: () => import('./bulk.ts') },
  'bulk template': { summary: 'print a file to begin with', load: () => import('./bulk-template.ts') },
  'ledger path': { summary: 'say where the ledger is', load: () => import('./ledger-path.ts') },
  'ledger check': { summary: 'look for damage in the ledger, and count', load: () => import('./ledger-check.ts') },
  'ledger purge': { summary: 'remove sends from the ledger for good', load: () => import('./ledger-purge.ts') },
  'auth login': { summary: 'store a key, in a profile', load: () => import('./auth-login.ts') },
  'auth logout': { summary: 'forget the key of a profile', load: () => import('./auth-logout.ts') },
  'auth status': { summary: 'show which key is in use, and what it may do', load: () => import('./auth-status.ts') },
  'profiles list': { summary: 'list the profiles', load: () => import('./profiles-list.ts') },
  'profiles use': { summary: 'choose the profile to use from now on', load: () => import('./profiles-use.ts') },
  'profiles remove': { summary: 'remove a profile with its key', load: () => import('./profiles-remove.ts') },
  'config list': { summary: 'show every setting', load: () => import('./config-list.ts') },
  doctor: { summary: 'find out what is wrong between here and the service', load: () => import('./doctor.ts') },
  api: { summary: 'send any other GraphQL document', load: () => import('./api.ts') },
  mock: { summary: 'run a mock of the service on this machine', load: () => import('./mock.ts') },
  'mock exec': {
    summary: 'run a command against a mock that is there for it alone',
    load: () => import('./mock-exec.ts'),
  },
  completion: { summary: 'print what makes a shell complete words', load: () => import('./completion.ts') },
  commands: { summary: 'list all commands with their flags', load: () => import('./commands.ts') },
  help: { summary: 'help on a command or a topic', load: () => import('./help.ts') },
  __complete: { summary: 'complete a word', load: () => import('./complete.ts'), hidden: true },
}

export const GROUPS: Readonly<Record<string, string>> = {
  tracks: 'what there is to be certified in',
  invites: 'invites to a single quiz, and the record of all invites',
  'package-invites': 'invites to every skill of a package',
  ledger: 'the record of what was sent',
  auth: 'keys',
  profiles: 'the services that are set up here',
  config: 'settings',
}
