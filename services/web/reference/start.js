// @ts-check
/** Shows the contract of this server; nothing is asked for or sent elsewhere. */

// @ts-expect-error: Swagger UI puts itself here.
window.SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#reference",
  deepLinking: true,
  validatorUrl: null, // a badge, asked for at another host
  persistAuthorization: false, // a key is gone when the page is
  docExpansion: "list",
  defaultModelsExpandDepth: -1,
});
