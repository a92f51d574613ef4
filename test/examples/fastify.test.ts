import { testInviting } from './inviting.ts'

testInviting('fastify')
