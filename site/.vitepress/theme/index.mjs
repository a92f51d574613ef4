/* With the fonts of the system: the site asks no other host for anything. */
import { onContentUpdated, useData } from 'vitepress'
import DefaultTheme from 'vitepress/theme-without-fonts'
import { onMounted, onUnmounted, watch } from 'vue'
import './style.css'

export default {
  extends: DefaultTheme,
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
