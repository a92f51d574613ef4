/* In place of the validator of the MCP SDK, which checks the answer of a person against our own question: `certify mcp` reads it itself. */
export class AjvJsonSchemaValidator {
  getValidator() {
    return (data: unknown) => ({ valid: true, data, errorMessage: undefined })
  }
}
