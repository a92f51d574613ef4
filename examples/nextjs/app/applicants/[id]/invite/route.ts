import { applicants } from '../../../../applicants'
import { invitesOfThisProcess } from '../../../../invites-of-this-process'

export async function POST(request: Request, { params }: { params: Promise<{ id: string }> }): Promise<Response> {
  const applicant = applicants.get((await params).id)
  if (applicant === undefined) return Response.json({ state: 'no such applicant' }, { status: 404 })
  /* A body that is not JSON has no quiz: 400. */
  const given = (await request.json().catch(() => null)) as { quizId?: unknown } | null
  const invites = await invitesOfThisProcess()
  const { status, body } = await invites.invite(applicant, given?.quizId)
  return Response.json(body, { status })
}
