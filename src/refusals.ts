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

/** A client cannot be made or used: because of one option, or for another reason. */
export function configInvalid(why: Issue | string, hint: string): CertifyError {
  const issues = typeof why === 'string' ? [] : [why]
  const what = typeof why === 'string' ? why : describeIssues(issues)
  return refusal({ code: 'CONFIG_INVALID', message: `The client cannot be used: ${what}.`, hint, issues })
}

/** Options were refused. */
export function optionsInvalid(of: string, issues: readonly Issue[]): CertifyError {
  const message = `The options of ${of} are not valid: ${describeIssues(issues)}.`
  return refusal({ code: 'CONFIG_INVALID', message, hint: 'Correct the options.', issues })
}

function refusal(details: Omit<CertifyErrorDetails, 'outcome'>): CertifyError {
  return new CertifyError({ ...details, outcome: 'not-executed' })
}
