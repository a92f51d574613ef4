import { howToResolve } from '../terminal/error-wording.ts'
import type { OpenSender } from './open-ledger.ts'

/** Sentences for a create whose outcome the ledger could not record, or recorded late; empty if it was recorded. */
export function unrecordedText(
  { unrecorded: { error, isLate }, place }: Pick<OpenSender, 'unrecorded' | 'place'>,
  reference: string | undefined,
): readonly string[] {
  if (error !== undefined) {
    return [
      `The ledger could not record how it ended. ${error.message} If it calls it unknown later, resolve it: ` +
        `${howToResolve(reference, place.flags)}.`,
    ]
  }
  return isLate ? [RECORDED_LATE] : []
}

/** The sentence for a create that was recorded after its lease had ended. */
export const RECORDED_LATE =
  'The ledger recorded it after its lease had ended, and it counted as unknown until then: check whether somebody resolved ' +
  'it, or created it again.'
