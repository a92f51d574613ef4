import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'

/** Opens the search box and returns its input. The page ignores keys until its script runs: press until it does. */
export async function openSearch(page: Page): Promise<Locator> {
  const input = page.locator('#localsearch-input')
  const press = async () => {
    await page.keyboard.press('Control+k')
    return input.isVisible()
  }
  await expect.poll(press).toBe(true)
  return input
}
