export { type CallbackUrlOptions, type CallbackUrls, callbackUrls } from './callback-urls.ts'
export {
  type CallbackEvent,
  type CertificationCompleted,
  type EventFacts,
  type FollowUpClaimed,
  type HeadersLike,
  parseEvent,
  type ReceivedRequest,
  type UnknownEvent,
} from './event.ts'
export type { Clock } from '../clock.ts'
export {
  type CallbackHandler,
  type CallbackHandlerOptions,
  type CallbackRequest,
  createCallbackHandler,
  type ReceivedEvent,
  type RuntimeResponse,
} from './handler.ts'
export type { InviteEvent, Learned } from './invite-records.ts'
export type { DueEvent, Inbox, InboxEvent, InboxResult, InboxRow } from './inbox.ts'
export type { NodeListener, NodeRequest, NodeResponse } from './node-listener.ts'
