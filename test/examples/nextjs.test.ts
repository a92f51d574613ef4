import { testInviting } from './inviting.ts'

testInviting('nextjs', 'copied')
