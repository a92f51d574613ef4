/**
 * A part of a mock that changes: `world` is invites, e-mails, attempts, certifications and quizzes; the others are named as
 * the members of the mock are.
 */
export type MockPart = 'world' | 'clock' | 'callbacks' | 'faults' | 'requestLog' | 'sessions'

/** Receives the parts that have changed since its last call. */
export type ChangeListener = (parts: readonly MockPart[]) => void
