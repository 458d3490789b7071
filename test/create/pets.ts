/** An OpenAPI document with every kind of parameter, a recursive schema, and a text that looks like code. */
export const pets = `openapi: 3.0.3
info: { title: Pets, version: 1.0.0 }
servers:
  - url: https://{region}.pets.example/v1/
    variables: { region: { default: eu } }
components:
  securitySchemes:
    key: { type: apiKey, in: header, name: X-Api-Key }
  parameters:
    Limit: { name: limit, in: query, description: How many, schema: { type: integer, minimum: 1, maximum: 100 } }
  schemas:
    Pet:
      type: object
      required: [id, name]
      properties:
        id: { type: integer, readOnly: true }
        name: { type: string, minLength: 1, example: Rex }
        tag: { type: string, nullable: true }
        parent: { $ref: '#/components/schemas/Pet' }
paths:
  /pets:
    get:
      operationId: listPets
      summary: Lists all pets
      parameters:
        - $ref: '#/components/parameters/Limit'
        - { name: tags, in: query, explode: false, schema: { type: array, items: { type: string } } }
        - { name: X-Request-ID, in: header, schema: { type: string } }
      responses: { '200': { description: ok, content: { application/json: { schema: { type: array } } } } }
    post:
      operationId: createPet
      summary: "Creates a pet \`\${process.exit(1)} {{x}} */"
      requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/Pet' } } } }
      responses:
        '201': { description: ok, content: { application/json: { schema: { $ref: '#/components/schemas/Pet' } } } }
  /pets/{petId}:
    parameters:
      - { name: petId, in: path, required: true, schema: { type: string } }
    get:
      responses:
        '200': { description: ok, content: { application/json: { schema: { $ref: '#/components/schemas/Pet' } } } }
    put:
      operationId: rename pet!
      requestBody:
        required: true
        content: { application/x-www-form-urlencoded: { schema: { type: object, properties: { name: { type: string } } } } }
      responses: { '204': { description: done } }
    delete:
      operationId: deletePet
      responses: { '204': { description: gone } }
  /upload:
    post:
      requestBody: { required: true, content: { multipart/form-data: { schema: { type: object } } } }
      responses: { '200': { description: ok } }
`;
