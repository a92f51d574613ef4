/** The anchor of a heading, as GitHub makes it: links work there and on the site. @param {string} heading */
export function anchorOf(heading) {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
}
