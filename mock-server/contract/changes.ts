/** A part of a mock. `world` is invites, e-mails, attempts, certifications and quizzes; the others are members of the mock. */
export type MockPart = 'world' | 'clock' | 'callbacks' | 'faults' | 'requestLog' | 'sessions'

/** Receives the parts that changed since its last call. */
export type ChangeListener = (parts: readonly MockPart[]) => void
