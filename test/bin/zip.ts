import { crc32, deflateRawSync } from 'node:zlib'

/** A file in an archive. */
export interface ZipEntry {
  readonly name: string
  readonly content: string | Uint8Array
  /** The size that the archive says it has; default: the true one. */
  readonly declaredSize?: number
  /** Whether it is not compressed. */
  readonly isStored?: boolean
}

/** A zip archive of files. */
export function zip(entries: readonly ZipEntry[]): Buffer {
  const files: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { name, content, declaredSize, isStored = false } of entries) {
    const bytes = Buffer.from(content)
    const packed = isStored ? bytes : deflateRawSync(bytes)
    const title = Buffer.from(name)
    const head = Buffer.alloc(26)
    head.writeUInt16LE(20, 0)
    head.writeUInt16LE(isStored ? 0 : 8, 4)
    head.writeUInt32LE(crc32(bytes), 10)
    head.writeUInt32LE(packed.length, 14)
    head.writeUInt32LE(declaredSize ?? bytes.length, 18)
    head.writeUInt16LE(title.length, 22)
    files.push(Buffer.from('PK\u0003\u0004'), head, title, packed)
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(offset, 10)
    directory.push(Buffer.from('PK\u0001\u0002\u0014\u0000'), head, rest, title)
    offset += 30 + title.length + packed.length
  }
  const size = directory.reduce((sum, { length }) => sum + length, 0)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(entries.length, 4)
  end.writeUInt16LE(entries.length, 6)
  end.writeUInt32LE(size, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...files, ...directory, Buffer.from('PK\u0005\u0006'), end])
}
