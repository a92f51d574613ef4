export const BASE_URL = 'https://app.example/certify'
export const SECRET = 'a secret of thirty-two characters'
