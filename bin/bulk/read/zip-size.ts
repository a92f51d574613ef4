/**
 * The size that a zip archive says its files have. A file whose size it leaves open counts as endless: a reader that inflates
 * no file beyond its said size then inflates no more than this.
 *
 * @returns `undefined` if it is no whole archive
 */
export function inflatedSize(archive: Buffer): number | undefined {
  const end = archive.lastIndexOf(END)
  if (end === -1 || end + END_BYTES > archive.length) return undefined
  const count = archive.readUInt16LE(end + 10)
  const bytes = archive.readUInt32LE(end + 12)
  let at = archive.readUInt32LE(end + 16)
  let size = 0
  /* The directory is in another place: no workbook is so large. */
  if (count === MOST_16 || bytes === MOST_32 || at === MOST_32) return Number.POSITIVE_INFINITY
  for (let index = 0; index < count; index += 1) {
    if (at + ENTRY_BYTES > archive.length || archive.indexOf(ENTRY, at) !== at) return undefined
    size += entrySize(archive, at)
    at += ENTRY_BYTES + [28, 30, 32].reduce((sum, place) => sum + archive.readUInt16LE(at + place), 0)
  }
  return size
}

const ENTRY = Buffer.from('PK\u0001\u0002')
const END = Buffer.from('PK\u0005\u0006')
const ENTRY_BYTES = 46
const END_BYTES = 22
const MOST_16 = 2 ** 16 - 1
const MOST_32 = 2 ** 32 - 1

function entrySize(archive: Buffer, at: number): number {
  const later = [...zip64Sizes(archive, at)]
  const [size, packed] = [24, 20].map((place) => {
    const value = archive.readUInt32LE(at + place)
    return value === MOST_32 ? (later.shift() ?? Number.POSITIVE_INFINITY) : value
  }) as [number, number]
  const isAfterContent = (archive.readUInt16LE(at + 8) & SIZES_FOLLOW) !== 0 && packed === 0
  /* Nothing, deflated, has two bytes. */
  return isAfterContent || (size === 0 && packed > 2) ? Number.POSITIVE_INFINITY : size
}

const SIZES_FOLLOW = 8

/* The sizes that 32 bits have no room for. Some writers give every size like this. */
function* zip64Sizes(archive: Buffer, at: number): Generator<number> {
  let extra = at + ENTRY_BYTES + archive.readUInt16LE(at + 28)
  const end = Math.min(archive.length, extra + archive.readUInt16LE(at + 30))
  while (extra + 4 <= end) {
    const next = extra + 4 + archive.readUInt16LE(extra + 2)
    if (archive.readUInt16LE(extra) === 1) {
      for (let place = extra + 4; place + 8 <= Math.min(next, end); place += 8)
        yield Number(archive.readBigUInt64LE(place))
      return
    }
    extra = next
  }
}
