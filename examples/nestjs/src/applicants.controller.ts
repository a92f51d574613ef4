import { Body, Controller, Get, HttpException, Inject, NotFoundException, Param, Post, Res } from '@nestjs/common'
import type { Response } from 'express'
import { applicants } from './applicants.js'
import type { Answer, Applicant, Invites } from './invites.js'

export const INVITES = Symbol('invites')

@Controller('applicants')
export class ApplicantsController {
  constructor(@Inject(INVITES) private readonly invites: Invites) {}

  @Post(':id/invite')
  async invite(
    @Param('id') id: string,
    @Body('quizId') quizId: unknown,
    @Res({ passthrough: true }) response: Response,
  ) {
    const { status, body } = succeeded(await this.invites.invite(applicant(id), quizId))
    response.status(status)
    return body
  }

  @Get(':id')
  async stateOf(@Param('id') id: string) {
    return (await this.invites.stateOf(applicant(id))).body
  }
}

function applicant(id: string): Applicant {
  const found = applicants.get(id)
  if (found === undefined) throw new NotFoundException({ state: 'no such applicant' })
  return found
}

/* Throws, so that filters and interceptors see a failure as one. */
function succeeded(answer: Answer): Answer {
  if (answer.status >= 400) throw new HttpException(answer.body, answer.status)
  return answer
}
