/** A create. */
export const input = { quizId: 'quiz_1', candidate: { email: 'ada@example.com' } }

/** What a service has created for it. */
export const invite = {
  inviteId: 'inv_1',
  status: 'PENDING',
  challengeUrl: 'https://certify.test/c/1',
  expiresAt: '2030-01-15T00:00:00Z',
  emailSent: true,
}

/** The response to it. */
export const CREATED = JSON.stringify({ data: { developerCreateCertificationInvite: invite } })
