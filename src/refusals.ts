import { CertifyError, type CertifyErrorDetails, type Issue } from './errors.ts'

/** Every field with its rule, as one line for a message. */
export function describeIssues(issues: readonly Issue[]): string {
  return issues.map(({ path, rule }) => (path === '' ? `it ${rule}` : `${path} ${rule}`)).join('; ')
}

/** An input was refused. Nothing was sent. */
export function inputInvalid(operation: string, issues: readonly Issue[]): CertifyError {
  const message = `${operation}: the input is not valid: ${describeIssues(issues)}. Nothing was sent.`
  return refusal({ code: 'INPUT_INVALID', operation, message, hint: 'Correct the input.', issues })
}

/** Options were refused. */
export function optionsInvalid(of: string, issues: readonly Issue[], hint = 'Correct the options.'): CertifyError {
  const message = `The options of ${of} are not valid: ${describeIssues(issues)}.`
  return refusal({ code: 'CONFIG_INVALID', message, hint, issues })
}

/** An option of the client was refused. */
export function clientInvalid(path: string, rule: string, hint?: string): CertifyError {
  return optionsInvalid('the client', [{ path, rule }], hint)
}

function refusal(details: Omit<CertifyErrorDetails, 'outcome'>): CertifyError {
  return new CertifyError({ ...details, outcome: 'not-executed' })
}
