// No SDK: send it again until there is a response.
const { CERTIFY_BASE_URL: baseUrl, CERTIFY_API_KEY: apiKey } = process.env
const query = `mutation ($input: DeveloperCreateCertificationInviteInput!) {
  developerCreateCertificationInvite(input: $input) { inviteId }
}`
const input = {
  quizId: 'quiz_react_beginner_state',
  candidate: { name: 'Ada Byron', email: 'ada@example.com' },
}

for (let attempt = 1; attempt <= 3; attempt += 1) {
  try {
    const response = await fetch(`${baseUrl}/api/developer/graphql`, {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables: { input } }),
    })
    console.log('attempt', attempt, (await response.json()).data)
    break
  } catch (error) {
    console.log('attempt', attempt, error.message)
  }
}
