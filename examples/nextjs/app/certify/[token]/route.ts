import { invitesOfThisProcess } from '../../../invites-of-this-process'

/* The handler reads the body itself. */
async function receive(request: Request): Promise<Response> {
  return (await invitesOfThisProcess()).callbacks(request)
}

export { receive as GET, receive as HEAD, receive as POST }
