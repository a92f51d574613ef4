import { testInviting } from './inviting.ts'

testInviting('nestjs')
