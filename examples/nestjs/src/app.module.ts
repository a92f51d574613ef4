import { Inject, Module, type OnApplicationShutdown } from '@nestjs/common'
import { ApplicantsController, INVITES } from './applicants.controller.js'
import { type Invites, openInvites } from './invites.js'

@Module({
  controllers: [ApplicantsController],
  providers: [{ provide: INVITES, useFactory: openInvites }],
})
export class AppModule implements OnApplicationShutdown {
  constructor(@Inject(INVITES) private readonly invites: Invites) {}

  /** Called when no request is left. */
  onApplicationShutdown(): Promise<void> {
    return this.invites.close()
  }
}
