import { expect, test } from 'vitest'
import { startAgent } from '../bin/agent.ts'

const quizzes = ['quiz_react_beginner_state', 'quiz_javascript_beginner', 'quiz_sql_beginner_queries']
const create = 'create_planned_invites'
const SEQUENCES = 250
const STEPS = 5

/* mulberry32 */
function randomFrom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

test.each([0, 1, 2, 3])('in 1,000 random sequences, nothing is sent without approval, or twice: %i', async (part) => {
  const agent = await startAgent({ answer: null })
  const { mock, certify } = agent
  const approved = new Set<string>()
  let unapproved = 0
  for (let seed = part * SEQUENCES; seed < (part + 1) * SEQUENCES; seed += 1) {
    const random = randomFrom(seed)
    const email = `p${seed}@example.com`
    const plans: string[] = ['plan_made-up']
    const any = () => (random(5) === 0 ? plans[random(plans.length)] : plans.at(-1)) ?? ''
    for (let step = 0; step < STEPS; step += 1) {
      const move = random(10)
      if (move < 3) {
        const { planId } = await agent.ok('plan_invites', { invites: [{ email, quizId: quizzes[random(3)] }] })
        if (planId !== undefined) plans.push(planId)
      } else if (move < 6) {
        const planId = any()
        const says = random(4) === 0 ? 'n' : 'y'
        const { code } = await certify(['approve', planId], { terminal: 80, answers: [says] })
        if (code === 0) approved.add(planId)
      } else if (move === 6) {
        await certify(['approve', any(), '--yes'])
      } else {
        const planId = any()
        const before = mock.invites.length
        await Promise.all([agent.call(create, { planId }), ...(move === 9 ? [agent.call(create, { planId })] : [])])
        if (mock.invites.length > before && !approved.delete(planId)) unapproved += 1
      }
    }
  }
  const sent = mock.invites.map(({ candidate, quizId }) => `${candidate.email} ${quizId}`)
  expect([unapproved, sent.length - new Set(sent).size]).toEqual([0, 0])
  expect(sent.length).toBeGreaterThan(SEQUENCES / 20)
})
