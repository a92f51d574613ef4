import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'

/** Opens the box of the search and gives its input. The page hears keys only once its script runs, so press until it does. */
export async function openSearch(page: Page): Promise<Locator> {
  const input = page.locator('#localsearch-input')
  const press = async () => {
    await page.keyboard.press('Control+k')
    return input.isVisible()
  }
  await expect.poll(press, { timeout: 30_000 }).toBe(true)
  return input
}
