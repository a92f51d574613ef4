/**
 * A part of a mock that changes: `world` is invites, e-mails, attempts, certifications and quizzes; the others are named as
 * the members of the mock are.
 */
export type MockPart = 'world' | 'clock' | 'callbacks' | 'faults' | 'journal' | 'sessions'

/** Is told which parts have changed since it was told last. */
export type ChangeListener = (parts: readonly MockPart[]) => void
