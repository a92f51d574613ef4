import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { decode } from '../../bin/bulk/read/decoding.ts'

async function* cut(bytes: Uint8Array, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function textOf(bytes: Uint8Array, size: number): Promise<string> {
  const { pieces } = await decode(cut(bytes, size))
  let text = ''
  for await (const piece of pieces) text += piece
  return text
}

const ENCODINGS = {
  'UTF-8': (text: string) => Buffer.from(text),
  'UTF-16LE': (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le'),
  'UTF-16BE': (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16(),
} as const

const FAULTS = { 'UTF-8': [0xff], 'UTF-16LE': [0x00, 0xdc], 'UTF-16BE': [0xdc, 0x00] } as const

const words = fc.array(fc.constantFrom('a', 'é', '李', '😀', '\ufffd', '\u0a0a', '\r', '\n', '\r\n'))
const linesIn = (text: string) => text.split(/\r\n|[\r\n]/).length

test.each(['UTF-8', 'UTF-16LE', 'UTF-16BE'] as const)(
  'a file in %s is the same text wherever its bytes are cut, and each of its lines ends once',
  async (encoding) => {
    const property = fc.asyncProperty(words, fc.integer({ min: 1, max: 9 }), async (parts, size) => {
      const text = `email${parts.join('')}`
      expect(await textOf(ENCODINGS[encoding](text), size)).toBe(text.replaceAll(/\r\n?/g, '\n'))
    })
    await fc.assert(property)
  },
)

test.each(['UTF-8', 'UTF-16LE', 'UTF-16BE'] as const)(
  'what is no text in %s is named by its line wherever the bytes are cut, also behind genuine replacement characters',
  async (encoding) => {
    const property = fc.asyncProperty(words, words, fc.integer({ min: 1, max: 9 }), async (parts, rest, size) => {
      const text = `email${parts.join('')}`
      const [good, more] = [ENCODINGS[encoding](text), ENCODINGS[encoding](rest.join(''))]
      const bytes = Buffer.concat([good, Buffer.from(FAULTS[encoding]), encoding === 'UTF-8' ? more : more.subarray(2)])
      await expect(textOf(bytes, size)).rejects.toThrow(`line ${linesIn(text)} of the file is no text in ${encoding}`)
    })
    await fc.assert(property)
  },
)

test('a character that the end of the file cuts off is named by its line', async () => {
  await expect(textOf(Buffer.from('email\na\n😀').subarray(0, -1), 3)).rejects.toThrow('line 3 of the file is no text')
})
