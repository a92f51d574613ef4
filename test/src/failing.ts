import { inspect } from 'node:util'
import { expect } from 'vitest'
import { CertifyError, isCertifyError } from '../../src/index.ts'

/** The CertifyError with which a call must fail. */
export async function failureOf(call: Promise<unknown>): Promise<CertifyError> {
  const error: unknown = await call.then(
    () => expect.fail('the call was expected to fail'),
    (reason: unknown) => reason,
  )
  if (!(error instanceof CertifyError)) throw error
  return error
}

/** The CertifyError that a piece of code must throw. */
export function thrownBy(code: () => unknown): CertifyError {
  try {
    code()
  } catch (error) {
    if (error instanceof CertifyError) return error
    throw error
  }
  return expect.fail('the code was expected to throw')
}

/** Everything that a logger, a crash reporter or a console would print of a value. */
export function everythingShown(value: unknown): string {
  const shown: string[] = []
  for (let each: unknown = value; each !== undefined; each = each instanceof Error ? each.cause : undefined) {
    shown.push(
      each instanceof Error ? each.toString() : '',
      JSON.stringify(each),
      inspect(each, { depth: Infinity, showHidden: true, getters: true }),
      inspect(each, { depth: Infinity, showHidden: true, getters: true, customInspect: false }),
    )
    if (each instanceof Error) shown.push(each.stack ?? '', each.message)
  }
  return shown.join('\n')
}

/** How a call ended, as a value. */
export async function settle<Value>(
  call: Promise<Value>,
): Promise<{ readonly value?: Value; readonly error?: CertifyError }> {
  try {
    return { value: await call }
  } catch (error) {
    if (!isCertifyError(error)) throw error
    return { error }
  }
}
