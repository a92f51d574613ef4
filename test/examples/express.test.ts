import { testInviting } from './inviting.ts'

testInviting('express')
