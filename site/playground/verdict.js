/**
 * What became of everybody, in a sentence: the e-mails of the service, compared with the ledger.
 *
 * @returns {{ text: string, isBad: boolean, twice?: string }}
 */
export function verdictOf({ mails, records }) {
  const open = mails.filter(({ isOpen }) => isOpen).map(({ to }) => to)
  const twice = open.find((to, index) => open.indexOf(to) < index)
  if (twice !== undefined) {
    const isDecided = records.some(({ email, isUnproven }) => email === twice && isUnproven)
    return { text: `${twice} was invited twice${isDecided ? ': the answer was wrong' : ''}.`, isBad: true, twice }
  }
  const missed = records.find(({ email, state }) => state === 'created' && !mails.some(({ to }) => to === email))
  if (missed !== undefined) return { text: `${missed.email} was not invited: the answer was wrong.`, isBad: true }
  const asked = records.filter(({ state }) => state === 'unknown').map(({ email }) => email)
  if (open.length + asked.length === 0) return { text: '', isBad: false }
  const ask = asked.length === 0 ? '' : ` Ask ${asked.join(', ')}: that outcome is unknown.`
  return { text: `Nobody was invited twice.${ask}`, isBad: false }
}
