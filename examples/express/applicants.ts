import type { Applicant } from './invites.js'

/** Stands for a table of your application. */
export const applicants: ReadonlyMap<string, Applicant> = new Map([
  ['17', { id: '17', name: 'Ada Byron', email: 'ada@example.com' }],
  ['18', { id: '18', name: 'Grace Hopper', email: 'grace@example.com' }],
  /* The mock loses the response to a create for this address. */
  ['19', { id: '19', name: 'Hedy Lamarr', email: 'cut-after@candidate.test' }],
])
