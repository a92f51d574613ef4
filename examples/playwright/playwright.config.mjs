import { env } from 'node:process'
import { defineConfig } from '@playwright/test'

const { PORT = '3000', CHROMIUM } = env

export default defineConfig({
  testMatch: '*.spec.mjs',
  reporter: 'line',
  use: {
    baseURL: `http://127.0.0.1:${PORT}`,
    /* Without CHROMIUM it is the browser of `npx playwright install chromium`. */
    ...(CHROMIUM && { launchOptions: { executablePath: CHROMIUM, args: ['--no-sandbox'] } }),
  },
  /* The application gets CERTIFY_BASE_URL and CERTIFY_API_KEY of the mock from `certify mock exec`. */
  webServer: {
    command: 'node app.mjs',
    url: `http://127.0.0.1:${PORT}/health`,
    env: { PORT },
    reuseExistingServer: false,
  },
})
