import { applicants } from '../../../applicants'
import { invitesOfThisProcess } from '../../../invites-of-this-process'

export async function GET(_request: Request, { params }: { params: Promise<{ id: string }> }): Promise<Response> {
  const applicant = applicants.get((await params).id)
  if (applicant === undefined) return Response.json({ state: 'no such applicant' }, { status: 404 })
  const { status, body } = await (await invitesOfThisProcess()).stateOf(applicant)
  return Response.json(body, { status })
}
