/** A level of proficiency. Open: the specification shows `BEGINNER` and mentions more. */
export type Level = 'BEGINNER' | (string & {})

/** The state of an invite. Open: the specification shows `PENDING`, the state at creation. */
export type InviteStatus = 'PENDING' | (string & {})
