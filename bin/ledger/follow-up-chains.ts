import type { LedgerRecord, LedgerFollowUp, LedgerInvite } from '../../src/ledger/index.ts'
import type { InviteRow } from './invite-row.ts'

/**
 * The chains that an invite is in, from the first invite to the last follow-up, each with its result. Empty if it is
 * not a follow-up and has none.
 */
export function chainsOf({ inviteId }: InviteRow, record: LedgerRecord): readonly string[] {
  const { invites, followUps = [] } = record
  const starts = [...invites, ...followUps.filter(({ followUpOf }) => followUpOf === undefined)]
  const chains = starts.flatMap((start) => chainsFrom([start], followUps))
  return chains
    .filter((chain) => chain.length > 1 && chain.some((each) => each.inviteId === inviteId))
    .map((chain) => chain.map(linkText).join(' → '))
}

type Link = LedgerInvite | LedgerFollowUp

function chainsFrom(chain: readonly Link[], followUps: readonly LedgerFollowUp[]): readonly (readonly Link[])[] {
  const next = followUps.filter(({ followUpOf }) => followUpOf === chain.at(-1)?.inviteId)
  return next.length === 0 ? [chain] : next.flatMap((each) => chainsFrom([...chain, each], followUps))
}

function linkText(link: Link): string {
  const { inviteId, result } = link
  const words = [
    ...('kind' in link && link.kind !== undefined ? [link.kind] : []),
    ...(result === undefined ? [] : [result]),
  ]
  return words.length === 0 ? inviteId : `${inviteId} (${words.join(', ')})`
}
