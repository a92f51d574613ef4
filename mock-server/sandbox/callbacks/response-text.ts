import { realClearTimeout, realSetTimeout } from '../unpatched-globals.ts'

/**
 * The beginning of a response's body, as text; `null` where it cannot be read. The status alone acknowledges a callback, so
 * a body that does not end is waited for only shortly.
 */
export async function responseText({ body, bodyUsed }: Partial<Response>): Promise<string | null> {
  if (body === null) return ''
  if (body === undefined || bodyUsed === true || body.locked) return null
  const reader: ReadableStreamDefaultReader<Uint8Array> = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  const read = async (): Promise<void> => {
    while (text.length < MAX_CHARACTERS) {
      const { done, value } = await reader.read()
      if (done) return
      text += decoder.decode(value, { stream: true })
    }
  }
  let timer: ReturnType<typeof realSetTimeout> | undefined
  const late = new Promise<void>((resolve) => {
    timer = realSetTimeout(resolve, LONGEST_WAIT_MS)
  })
  // What came before an error is shown too.
  await Promise.race([read(), late]).catch(() => {})
  realClearTimeout(timer)
  // Not awaited: where an interceptor reads the body too, the cancel ends only when that has finished.
  reader.cancel().catch(() => {})
  return text.slice(0, MAX_CHARACTERS)
}

const MAX_CHARACTERS = 4096

const LONGEST_WAIT_MS = 1000
