export { type CampaignPlan, type PlannedSends, type PlanOptions, planCampaign } from './plan.ts'
export type {
  CampaignEvent,
  CampaignRow,
  CampaignSummary,
  InProgressEvent,
  OutageEvent,
  PauseEvent,
  PlannedRow,
  RowEvent,
} from './row.ts'
export { runCampaign } from './run.ts'
export type { RunOptions } from './sender.ts'
