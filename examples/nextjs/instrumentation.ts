/** Next.js calls this once at server start: events from before a crash are handled now, not at the first request. */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME === 'nodejs') {
    const { invitesOfThisProcess } = await import('./invites-of-this-process')
    await invitesOfThisProcess()
  }
}
