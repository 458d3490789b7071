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
    Photos:
      type: object
      required: [portrait]
      properties:
        portrait: { type: string, format: binary, maxLength: 5000000 }
        others: { type: array, items: { type: string, format: binary } }
        caption: { type: string }
        tags: { type: array, items: { type: string } }
        place: { type: object, properties: { city: { type: string } } }
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
  /pets/{petId}/photos:
    post:
      operationId: addPhotos
      parameters:
        - { name: petId, in: path, required: true, schema: { type: string } }
        - { name: session, in: cookie, required: true, schema: { type: string } }
        - { name: seen, in: cookie, explode: false, schema: { type: array, items: { type: string } } }
      requestBody:
        required: true
        content:
          multipart/form-data:
            schema: { $ref: '#/components/schemas/Photos' }
            encoding: { portrait: { contentType: 'image/png, image/jpeg' } }
      responses: { '201': { description: ok } }
  /upload:
    post:
      requestBody: { required: true, content: { application/octet-stream: { schema: { type: string, format: binary } } } }
      responses: { '200': { description: ok } }
`;
