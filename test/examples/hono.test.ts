import { testInviting } from './inviting.ts'

testInviting('hono')
