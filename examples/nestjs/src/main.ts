import 'reflect-metadata'
import { env } from 'node:process'
import { NestFactory } from '@nestjs/core'
import type { NestExpressApplication } from '@nestjs/platform-express'
import { AppModule } from './app.module.js'
import { INVITES } from './applicants.controller.js'
import type { Invites } from './invites.js'

/* Nest would read every body unless `bodyParser` is false, but the callback handler reads the body itself. */
const app = await NestFactory.create<NestExpressApplication>(AppModule, { bodyParser: false })
app.use('/certify', app.get<Invites>(INVITES).callbacks.listener)
app.useBodyParser('json')

/* After SIGTERM, Nest waits for the requests in flight, and then calls `onApplicationShutdown`. */
app.enableShutdownHooks()

const { PORT = '3000', HOST = '127.0.0.1' } = env
await app.listen(Number(PORT), HOST)
