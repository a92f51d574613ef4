import { html } from 'hono/html'
import { SDL } from '../api/schema.ts'
import type { MockServer } from '../contract/mock-server.ts'
import { ENDPOINT_PATH } from '../contract/paths.ts'
import { block, card, type Markup } from './markup.ts'
import type { ViewRequest } from './row-list.ts'

/** A form that sends documents to the endpoint, and the schema. */
export function consoleSection({ apiKeys }: MockServer, { prefix }: ViewRequest): Markup {
  const keys = apiKeys.map(({ name, key }) => html`<option value="${key}">${name}</option>`)
  const examples = EXAMPLES.map(
    ({ name, query, variables }) =>
      html`<option data-query="${query}" data-variables="${JSON.stringify(variables, null, 2)}">${name}</option>`,
  )
  const form = html`<form class="fields" id="console" data-endpoint="${prefix}${ENDPOINT_PATH}">
<label>Key <select name="key">${keys}<option value="">no key</option></select></label>
<label>Example <select name="example"><option value="">choose one</option>${examples}</select></label>
<label>Document <textarea name="query" rows="9" spellcheck="false" class="code">${EXAMPLES[0].query}</textarea></label>
<label>Variables <textarea name="variables" rows="9" spellcheck="false" class="code">${JSON.stringify(EXAMPLES[0].variables, null, 2)}</textarea></label>
<button class="primary">Run <kbd>Ctrl Enter</kbd></button>
</form>
<h3>Answer</h3>
<pre id="answer" class="answer" tabindex="0" role="log" aria-label="Answer" aria-live="polite">Nothing was sent yet.</pre>`
  const schema = card('schema', 'Schema', block('Schema', SDL), 'schema')
  return html`<div class="console">${card('console', 'Console', form)}${schema}</div>`
}

const EXAMPLES = [
  {
    name: 'Create an invite',
    query: `mutation Create($input: DeveloperCreateCertificationInviteInput!) {
  developerCreateCertificationInvite(input: $input) {
    inviteId
    challengeUrl
    expiresAt
    emailSent
  }
}`,
    variables: {
      input: { quizId: 'quiz_react_beginner_state', candidate: { name: 'Ada Byron', email: 'ada@example.com' } },
    },
  },
  {
    name: 'Create an invite for a whole package',
    query: `mutation CreatePackage($input: DeveloperCreateCertificationPackageInviteInput!) {
  developerCreateCertificationPackageInvite(input: $input) {
    packageName
    invites { skillName inviteId challengeUrl }
  }
}`,
    variables: { input: { packageId: 'pkg_react_beginner', candidate: { email: 'grace@example.com' } } },
  },
  {
    name: 'List tracks',
    query: `query Tracks($search: String) {
  developerCertificationPackageTracks(search: $search) {
    name
    packages { id name level skills { quizId skillName } }
  }
}`,
    variables: { search: 'react' },
  },
] as const
