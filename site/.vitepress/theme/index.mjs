/* With the fonts of the system: the site asks no other host for anything. */
import { onContentUpdated, useData, withBase } from 'vitepress'
import DefaultTheme from 'vitepress/theme-without-fonts'
import { h, onMounted, onUnmounted, ref, watch } from 'vue'
import './playground.css'
import './style.css'

/* Its files are bundled apart from the site, and loaded when its page is opened. Its content is for a reader without script. */
const Playground = {
  setup(_properties, { slots }) {
    const root = ref()
    let end
    onMounted(async () => {
      const { mount } = await import(/* @vite-ignore */ withBase('/playground-files/playground.js'))
      if (root.value !== null) end = mount(root.value)
    })
    onUnmounted(() => end?.())
    return () => h('div', { class: 'playground', ref: root }, slots.default())
  },
}

export default {
  extends: DefaultTheme,
  enhanceApp: ({ app }) => void app.component('Playground', Playground),
  setup() {
    const { isDark } = useData()
    /* A picture has one source, for dark. Its media query asks the system, which may differ from the switch. */
    const showPictures = () => {
      for (const source of document.querySelectorAll('picture > source'))
        source.media = isDark.value ? 'all' : 'not all'
    }
    watch(isDark, showPictures)
    onContentUpdated(showPictures)
    onContentUpdated(openLinked)
    onMounted(() => window.addEventListener('hashchange', openLinked))
    onUnmounted(() => window.removeEventListener('hashchange', openLinked))
  },
}

/* A link to an error code opens its section. */
function openLinked() {
  const heading = document.getElementById(decodeURIComponent(location.hash.slice(1)))
  const details = heading?.nextElementSibling
  if (details?.matches('details.code')) details.setAttribute('open', '')
}
