/** Next.js calls it once when a server starts: what was stored before a crash is handled now, and not at the first request. */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME === 'nodejs') {
    const { invitesOfThisProcess } = await import('./invites-of-this-process')
    await invitesOfThisProcess()
  }
}
