import { env } from 'node:process'
import { expect, test } from '@playwright/test'

const mock = `${env.CERTIFY_BASE_URL}/__mock`

async function invite(page, email) {
  await page.goto('/')
  await page.getByLabel('E-mail').fill(email)
  await page.getByRole('button', { name: 'Invite' }).click()
}

test('a candidate who passes is certified in the application', async ({ page, request }) => {
  await invite(page, 'ada@example.com')

  const sent = await request.get(`${mock}/outbox/wait`, { params: { to: 'ada@example.com' } })
  const { inviteId, challengeUrl } = await sent.json()
  await page.goto(challengeUrl)
  await page.getByRole('button', { name: 'Start' }).click()
  await page.getByRole('button', { name: 'Pass' }).click()

  const delivered = await request.get(`${mock}/callbacks/wait`, { params: { inviteId, status: 'delivered' } })
  expect(delivered.ok()).toBe(true)
  await page.goto('/')
  await expect(page.getByText('ada@example.com: passed')).toBeVisible()
})

test('a second click invites nobody', async ({ page, request }) => {
  await invite(page, 'grace@example.com')
  await expect(page.getByRole('status')).toHaveText('Invited.')
  await invite(page, 'grace@example.com')
  await expect(page.getByRole('status')).toHaveText('Already invited.')

  const invites = await request.get(`${mock}/invites`, { params: { search: 'grace@example.com' } })
  expect(await invites.json()).toMatchObject({ total: 1 })
})

test('if the response is lost, the application says that nobody knows, and does not invite again', async ({
  page,
  request,
}) => {
  /* A magic address: the mock creates the invite, and cuts the connection. */
  await invite(page, 'cut-after@candidate.test')
  await expect(page.getByRole('status')).toHaveText('It is not known whether an invite was sent.')
  await invite(page, 'cut-after@candidate.test')
  await expect(page.getByRole('status')).toHaveText('Not invited.')

  const invites = await request.get(`${mock}/invites`, { params: { search: 'cut-after@candidate.test' } })
  const { total, rows } = await invites.json()
  expect(total).toBe(1)

  /* The candidate has the e-mail after all. The event says so, and the application knows again. */
  await request.post(`${mock}/invites/${rows[0].inviteId}/pass`, { data: {} })
  await request.get(`${mock}/callbacks/wait`, { params: { inviteId: rows[0].inviteId, status: 'delivered' } })
  await page.goto('/')
  await expect(page.getByText('cut-after@candidate.test: passed')).toBeVisible()
})
